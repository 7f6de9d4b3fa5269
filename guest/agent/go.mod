// SPDX-License-Identifier: Apache-2.0
module dev.ramet/agent

go 1.19

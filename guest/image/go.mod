// SPDX-License-Identifier: Apache-2.0
module dev.ramet/image

go 1.19

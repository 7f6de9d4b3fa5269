// SPDX-License-Identifier: Apache-2.0
/**
 * Tests that every file backend must pass: a subclass names the backend and a file system for it.
 * Fields are set by JUnit before each test, so the package is not checked for nulls.
 */
package dev.ramet.backends.testing;

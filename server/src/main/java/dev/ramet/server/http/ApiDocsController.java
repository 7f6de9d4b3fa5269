// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.http;

import dev.ramet.errors.RametException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Map;

/**
 * Serves the OpenAPI document and a page to read and try the API. Both are generated at build time,
 * and the page loads nothing from other hosts.
 */
@Controller
@Tag(name = "host")
@ExecuteOn(LookupExecutor.NAME)
final class ApiDocsController {
  private static final String YAML = "application/yaml";
  private static final Map<String, String> PARTS =
      Map.of(
          "swagger-ui.css", "text/css",
          "swagger-ui-bundle.js", "text/javascript",
          "start.js", "text/javascript");

  /** The page uses inline styles and embedded images. */
  private static final String POLICY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

  /**
   * Redirects a browser to the page that shows this API.
   *
   * @return the address of the page
   */
  @Get("/")
  @Produces(MediaType.TEXT_HTML)
  @ApiResponse(responseCode = "307", description = "the page is at /docs")
  HttpResponse<byte[]> openHome() {
    return HttpResponse.<byte[]>temporaryRedirect(URI.create("/docs"))
        .header("Cache-Control", "no-cache");
  }

  /**
   * Returns this API's description as an OpenAPI 3.0 document.
   *
   * @return the document
   */
  @Get("/openapi.json")
  @ApiResponse(
      responseCode = "200",
      description = "the document",
      content = @Content(mediaType = MediaType.APPLICATION_JSON, schema = @Schema(type = "object")))
  HttpResponse<byte[]> getOpenApiJson() {
    return part("openapi.json", MediaType.APPLICATION_JSON);
  }

  /**
   * Returns the OpenAPI document as YAML.
   *
   * @return the document
   */
  @Get("/openapi.yaml")
  @Produces(YAML)
  @ApiResponse(
      responseCode = "200",
      description = "the document",
      content = @Content(mediaType = YAML, schema = @Schema(type = "object")))
  HttpResponse<byte[]> getOpenApiYaml() {
    return part("openapi.yaml", YAML);
  }

  /**
   * Returns a page to read and try this API.
   *
   * @return the page
   */
  @Get("/docs")
  @Produces(MediaType.TEXT_HTML)
  @ApiResponse(
      responseCode = "200",
      description = "the page",
      content = @Content(mediaType = MediaType.TEXT_HTML, schema = @Schema(type = "string")))
  HttpResponse<byte[]> getDocsPage() {
    return part("index.html", "text/html; charset=utf-8");
  }

  /**
   * Returns a script or style sheet of that page.
   *
   * @param file its name
   * @return the file
   */
  @Get("/docs/{file}")
  @Produces({"text/css", "text/javascript"})
  @ApiResponse(
      responseCode = "200",
      description = "the file",
      content = {
        @Content(mediaType = "text/css", schema = @Schema(type = "string")),
        @Content(mediaType = "text/javascript", schema = @Schema(type = "string"))
      })
  HttpResponse<byte[]> getDocsFile(@PathVariable String file) {
    String type = PARTS.get(file);
    if (type == null) {
      throw RametException.notFound("file", file);
    }
    return part(file, type);
  }

  private static HttpResponse<byte[]> part(String name, String type) {
    try (InputStream in = ApiDocsController.class.getResourceAsStream("reference/" + name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is not part of this build");
      }
      return HttpResponse.ok(in.readAllBytes())
          .contentType(MediaType.of(type))
          .header("Cache-Control", "no-cache")
          .header("X-Content-Type-Options", "nosniff")
          .header("Content-Security-Policy", POLICY);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + name, e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Nothing is asked of other hosts.
  validatorUrl: null,
});

/** Routes of the interface that belong to plugins of this repository and come with later work: `METHOD path`. */
export const later: readonly string[] = [
  // Push notifications.
  'DELETE /api/push/unsubscribe',
  'POST /api/push/subscribe',
  // Settings of the installation and its shops: branding, onboarding, uploads, metafields, consent to analytics.
  'DELETE /api/admin/metafields/definitions/{id}',
  'DELETE /api/admin/metafields/{entityType}/{entityId}/{key}',
  'DELETE /api/admin/uploads/',
  'GET /api/admin/branding/',
  'GET /api/admin/metafields/definitions',
  'GET /api/admin/metafields/{entityType}/{entityId}',
  'GET /api/admin/onboarding/status',
  'GET /api/storefront/analytics-config/',
  'GET /api/v1/storefront/analytics-config/',
  'POST /api/admin/metafields/definitions',
  'POST /api/admin/uploads/',
  'POST /api/admin/uploads/presign',
  'PUT /api/admin/branding/',
  'PUT /api/admin/metafields/{entityType}/{entityId}',
  'PUT /api/admin/onboarding/dismiss',
  'PUT /api/admin/onboarding/step',
];

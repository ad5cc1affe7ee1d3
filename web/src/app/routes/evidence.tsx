import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountsSearch } from '../../features/access-reviews/search.ts'
import { auditSearch, reviewsSearch } from '../../features/audit/search.ts'
import { metricsSearch } from '../../features/metrics/search.ts'
import { signaturesSearch, verifySearch } from '../../features/signatures/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { app, idInPath } from './root.tsx'

const audit = createRoute({
  getParentRoute: () => app,
  path: paths.audit,
  validateSearch: strictly(auditSearch),
  component: lazyRouteComponent(() => import('../../features/audit/audit-page.tsx'), 'AuditPage'),
})

const auditReviews = createRoute({
  getParentRoute: () => app,
  path: paths.auditReviews,
  validateSearch: strictly(reviewsSearch),
  component: lazyRouteComponent(() => import('../../features/audit/reviews-page.tsx'), 'ReviewsPage'),
})

const newAuditReview = createRoute({
  getParentRoute: () => app,
  path: paths.newAuditReview,
  validateSearch: strictly(auditSearch),
  component: lazyRouteComponent(() => import('../../features/audit/new-review-page.tsx'), 'NewReviewPage'),
})

const auditReview = createRoute({
  getParentRoute: () => app,
  path: paths.auditReview,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/audit/review-page.tsx'), 'ReviewPage'),
})

const signatures = createRoute({
  getParentRoute: () => app,
  path: paths.signatures,
  validateSearch: strictly(signaturesSearch),
  component: lazyRouteComponent(() => import('../../features/signatures/signatures-page.tsx'), 'SignaturesPage'),
})

const signature = createRoute({
  getParentRoute: () => app,
  path: paths.signature,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/signatures/signature-page.tsx'), 'SignaturePage'),
})

const verify = createRoute({
  getParentRoute: () => app,
  path: paths.verify,
  validateSearch: strictly(verifySearch),
  component: lazyRouteComponent(() => import('../../features/signatures/verify-page.tsx'), 'VerifyPage'),
})

const accounts = createRoute({
  getParentRoute: () => app,
  path: paths.accounts,
  validateSearch: strictly(accountsSearch),
  component: lazyRouteComponent(() => import('../../features/access-reviews/accounts-page.tsx'), 'AccountsPage'),
})

const accessReviews = createRoute({
  getParentRoute: () => app,
  path: paths.accessReviews,
  validateSearch: strictly(reviewsSearch),
  component: lazyRouteComponent(() => import('../../features/access-reviews/reviews-page.tsx'), 'AccessReviewsPage'),
})

const newAccessReview = createRoute({
  getParentRoute: () => app,
  path: paths.newAccessReview,
  component: lazyRouteComponent(
    () => import('../../features/access-reviews/new-review-page.tsx'),
    'NewAccessReviewPage',
  ),
})

const accessReview = createRoute({
  getParentRoute: () => app,
  path: paths.accessReview,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/access-reviews/review-page.tsx'), 'AccessReviewPage'),
})

const metrics = createRoute({
  getParentRoute: () => app,
  path: paths.metrics,
  validateSearch: strictly(metricsSearch),
  component: lazyRouteComponent(() => import('../../features/metrics/metrics-page.tsx'), 'MetricsPage'),
})

export const evidenceRoutes = [
  audit,
  auditReviews,
  newAuditReview,
  auditReview,
  signatures,
  signature,
  verify,
  accounts,
  accessReviews,
  newAccessReview,
  accessReview,
  metrics,
]

export { openAccessReview } from './access-review.ts'

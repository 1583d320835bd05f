export { openSpotlight } from './routes.ts'
export { openSharing } from './sharing/sharing.ts'
export { openToolInsights } from './tool-insights/tool-insights.ts'

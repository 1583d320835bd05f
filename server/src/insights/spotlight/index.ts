export { openMcpQuestions } from './mcp-questions/routes.ts'
export { openSpotlight } from './routes.ts'
export { openSharing } from './sharing/open-sharing.ts'

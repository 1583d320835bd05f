export { openPlatformMcp } from './platform-mcp.ts'

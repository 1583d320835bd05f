export { type OpenPlatformMcp, openPlatformMcp } from './platform-mcp.ts'

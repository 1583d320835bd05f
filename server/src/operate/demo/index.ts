export { openDemo } from './demo.ts'
export { openDemoHosts } from './demo-hosts.ts'

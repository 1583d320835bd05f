export { openDemo, openReplayedTimes } from './demo.ts'
export { withDemoHosts } from './hosts/demo-hosts.ts'

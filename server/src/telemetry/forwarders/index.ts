export { openForwarders } from './open-forwarders.ts'

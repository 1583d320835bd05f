export { gatewayLimits } from './limits.ts'
export { openGateway } from './open-gateway.ts'
export { toolFactsInTime } from './perform/operation-facts.ts'
export { refuseMcp } from './refuse.ts'

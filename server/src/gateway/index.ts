export { gatewayLimits } from './limits.ts'
export { openGateway } from './open-gateway.ts'
export { refuseMcp } from './refuse.ts'

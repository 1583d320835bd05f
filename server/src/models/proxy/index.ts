export { openModelProxy } from './open-model-proxy.ts'
export { refuseModel } from './refuse-model.ts'
export { factsInTime } from './rows/call-facts.ts'

export { refuseModel } from './client-answer.ts'
export { openModelProxy } from './open-model-proxy.ts'
export { factsInTime } from './rows/call-facts.ts'

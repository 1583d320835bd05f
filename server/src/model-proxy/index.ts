export { type ModelProxy, type ModelProxyDependencies, openModelProxy } from './open-model-proxy.ts'
export { refuseModel } from './refuse-model.ts'

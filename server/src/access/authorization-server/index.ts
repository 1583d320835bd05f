export { openAuthorizationServer } from './authorization-server.ts'
export { withChallenge } from './challenge.ts'

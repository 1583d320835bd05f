export { ApiProblem } from './api-problem.ts'
export { type Client, type ClientOptions, createClient, type Schemas, take } from './create-client.ts'
export { readEvents } from './read-events.ts'

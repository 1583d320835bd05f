export {
	ApiProblem,
	type Client,
	type ClientOptions,
	createClient,
	readEvents,
	type Schemas,
	take,
} from './client.ts'

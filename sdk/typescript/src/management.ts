// The typed client that the platform's own command line uses; the build copies it into the package.
export {
	ApiProblem,
	type Client,
	type ClientOptions,
	createClient,
	type Schemas,
	unwrap as take,
} from '../../../server/src/operate/client/client.ts'

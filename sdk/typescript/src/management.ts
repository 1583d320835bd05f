// The typed client that the platform's own command line is written with: the build puts it into the package.
export {
	ApiProblem,
	type Client,
	type ClientOptions,
	createClient,
	type Schemas,
	take,
} from '../../../server/src/operate/client/client.ts'

import { Type } from 'typebox'
import { MapOf, Strict } from './common.ts'
import { operation } from './operation.ts'

const Status = Strict({ status: Type.String() }, { title: 'Status' })

export const systemOperations = {
	livez: operation({
		id: 'system.livez',
		method: 'GET',
		path: '/livez',
		summary: 'Whether the process runs',
		access: { public: true },
		always: true,
		status: 200,
		response: Status,
	}),
	healthz: operation({
		id: 'system.healthz',
		method: 'GET',
		path: '/healthz',
		summary: 'Alias of /livez',
		access: { public: true },
		always: true,
		status: 200,
		response: Status,
	}),
	readyz: operation({
		id: 'system.readyz',
		method: 'GET',
		path: '/readyz',
		summary: 'Whether the program can serve: stores writable and migrated, not draining (otherwise 503)',
		access: { public: true },
		always: true,
		query: Strict({
			verbose: Type.Optional(
				Type.String({ maxLength: 5, description: 'With any value, the answer lists each check' }),
			),
		}),
		status: 200,
		response: Strict(
			{ status: Type.String(), checks: Type.Optional(MapOf(Type.String())) },
			{ title: 'Readiness' },
		),
	}),
	version: operation({
		id: 'system.version',
		method: 'GET',
		path: '/version',
		summary: 'Get the version of the program',
		access: { public: true },
		always: true,
		status: 200,
		response: Strict({ version: Type.String() }, { title: 'Version' }),
	}),
}

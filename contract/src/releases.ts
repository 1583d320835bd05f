import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, Nullable, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { figures } from './spotlight-figures.ts'
import { rangeQuery } from './telemetry.ts'

const release = {
	version: Type.String({ description: 'As named by the server' }),
	calls: figures.calls,
	error_rate: figures.error_rate,
	latency_ms: figures.latency_ms,
	first_seen_at: Time,
	last_seen_at: Time,
}

export const ServerRelease = Strict(
	{
		server: Strict({ id: Id, name: Type.String() }, { title: 'ReleasedServer' }),
		...release,
		before: Nullable(Strict(release, { title: 'ReleaseBefore', description: 'The previous release' })),
	},
	{ title: 'ServerRelease' },
)

export const releaseOperations = {
	releases: operation({
		id: 'spotlight.releases',
		method: 'GET',
		path: '/v1/spotlight/releases',
		summary:
			'Compare the newest release of each server in a time range (default: the last 24 hours) with the previous one',
		description:
			'Covers tool calls that the gateway forwarded. Servers that report no version are not in the list.',
		access: byScope('spotlight:read'),
		query: Strict(rangeQuery),
		status: 200,
		response: Strict(
			{ start: Time, end: Time, releases: Type.Array(ServerRelease) },
			{ title: 'ServerReleaseList' },
		),
	}),
}

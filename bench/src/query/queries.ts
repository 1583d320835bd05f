import type { Program } from '../../../server/src/program/program.testing.ts'
import { quantile } from '../load.ts'

/** A query of a screen, with its name in the report. */
export interface Query {
	name: string
	path: string
	/** End of the range. Each run uses an end one millisecond earlier, because it would otherwise get a cached answer. */
	endMs?: number
	/** For p95 without other load. */
	goalMs: number
}

export interface QueryFigures extends Query {
	runs: number
	p50Ms: number
	p95Ms: number
	/** The first answer, before caches were warm. */
	firstMs: number
	/** What the program answered instead of 200. */
	refused: string | null
}

const goalsMs = { screen: 150, list: 50, attribute: 200, text: 500, trace: 30 } as const
export const lists = [
	'tools',
	'servers',
	'agents',
	'models',
	'users',
	'clients',
	'sessions',
	'errors',
] as const

/** The queries of Spotlight's screens for the last day and for everything stored, and those of the explorer. */
export async function queriesOf(program: Program, endMs: number, allDays: number): Promise<Query[]> {
	const range = (days: number) => `start=${new Date(endMs - days * 86_400_000).toISOString()}`
	const { spans } = await program.api<{ spans: { trace_id: string }[] }>(
		'GET',
		`/v1/telemetry/spans?${range(1)}&end=${new Date(endMs).toISOString()}&limit=1`,
	)
	const screens = [1, allDays].flatMap((days) =>
		['overview', 'timeseries', ...lists].map((noun) => ({
			name: `${noun}, ${days} d`,
			path: `/v1/spotlight/${noun}?${range(days)}`,
			goalMs: goalsMs.screen,
		})),
	)
	const more: [string, string, number][] = [1, allDays].flatMap((days): [string, string, number][] => {
		const facets = ['kind', 'status', 'agent', 'server', 'tool', 'model', 'client', 'error_type']
		const attribute = 'http.route%3D%2Fthings%2F5'
		const absent = 'of.nobody%3D1'
		return [
			[`overview of tools, ${days} d`, `spotlight/overview?${range(days)}&kind=tool_call`, goalsMs.screen],
			[
				`facets of 8, ${days} d`,
				`spotlight/facets?${range(days)}${facets.map((one) => `&fields=${one}`).join('')}`,
				goalsMs.screen,
			],
			[
				`overview by attribute, ${days} d`,
				`spotlight/overview?${range(days)}&filter=${attribute}`,
				goalsMs.attribute,
			],
			[
				`overview by no attribute, ${days} d`,
				`spotlight/overview?${range(days)}&filter=${absent}`,
				goalsMs.attribute,
			],
			[
				`overview by text, ${days} d`,
				`spotlight/overview?${range(days)}&filter=text~%3Dtook%20too`,
				goalsMs.text,
			],
			[`spans, 100 of ${days} d`, `telemetry/spans?${range(days)}&limit=100`, goalsMs.list],
			[
				`spans by attribute, ${days} d`,
				`telemetry/spans?${range(days)}&limit=100&filter=${attribute}`,
				goalsMs.attribute,
			],
			[
				`spans by no attribute, ${days} d`,
				`telemetry/spans?${range(days)}&limit=100&filter=${absent}`,
				goalsMs.attribute,
			],
			[
				`spans by text, ${days} d`,
				`telemetry/spans?${range(days)}&limit=100&filter=text~%3Dtook%20too`,
				goalsMs.text,
			],
			[`traces, 50 of ${days} d`, `telemetry/traces?${range(days)}&limit=50`, goalsMs.list],
		]
	})
	return [
		...[...screens, ...more.map(([name, path, goalMs]) => ({ name, path: `/v1/${path}`, goalMs }))].map(
			(one) => ({ ...one, endMs }),
		),
		{ name: 'trace by id', path: `/v1/telemetry/traces/${spans[0]?.trace_id}`, goalMs: goalsMs.trace },
	]
}

/** The path of one run of a query. */
export const pathOf = ({ path, endMs }: Query, run: number): string =>
	endMs === undefined ? path : `${path}&end=${new Date(endMs - run).toISOString()}`

/** Duration of an answer. Throws with whatever came instead. */
export async function ask(program: Program, path: string): Promise<number> {
	const sentMs = performance.now()
	const headers = { authorization: `Bearer ${program.token}` }
	const response = await fetch(program.url + path, { headers })
	const body = await response.text()
	if (response.status !== 200) throw new Error(`${response.status} ${body.slice(0, 200)}`)
	return performance.now() - sentMs
}

export function figuresOf(query: Query, latencies: readonly number[], refused: string | null): QueryFigures {
	const [firstMs = Number.NaN, ...rest] = latencies
	const sorted = (rest.length > 0 ? rest : [firstMs]).sort((a, b) => a - b)
	return {
		...{ ...query, runs: sorted.length, firstMs, refused },
		...{ p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) },
	}
}

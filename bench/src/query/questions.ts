import type { Program } from '../../../server/src/program/program.testing.ts'
import { quantile } from '../load.ts'

/** What a screen asks, under the name that the report has it by. */
export interface Question {
	name: string
	path: string
	/** For p95 while nothing else goes on. */
	goalMs: number
}

export interface QuestionFigures extends Question {
	runs: number
	p50Ms: number
	p95Ms: number
	/** The first answer, before anything was warm. */
	firstMs: number
	/** What the program answered instead of 200. */
	refused: string | null
}

const screenGoalMs = 300
const traceGoalMs = 50
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

/** The questions of Spotlight's screens about the last day and about all that is stored, and those of the explorer. */
export async function questionsOf(program: Program, endMs: number, allDays: number): Promise<Question[]> {
	const range = (days: number) =>
		`start=${new Date(endMs - days * 86_400_000).toISOString()}&end=${new Date(endMs).toISOString()}`
	const { spans } = await program.api<{ spans: { trace_id: string }[] }>(
		'GET',
		`/v1/telemetry/spans?${range(1)}&limit=1`,
	)
	const screens = [1, allDays].flatMap((days) =>
		['overview', 'timeseries', ...lists].map((noun) => ({
			name: `${noun}, ${days} d`,
			path: `/v1/spotlight/${noun}?${range(days)}`,
			goalMs: screenGoalMs,
		})),
	)
	const explorer = `/v1/telemetry/spans?${range(allDays)}&limit=100`
	return [
		...screens,
		{
			name: `overview of tools, ${allDays} d`,
			path: `/v1/spotlight/overview?${range(allDays)}&kind=tool_call`,
			goalMs: screenGoalMs,
		},
		{ name: `spans, first 100 of ${allDays} d`, path: explorer, goalMs: screenGoalMs },
		{ name: 'trace by id', path: `/v1/telemetry/traces/${spans[0]?.trace_id}`, goalMs: traceGoalMs },
	]
}

/** How long an answer took. Throws with what came in place of it. */
export async function ask(program: Program, path: string): Promise<number> {
	const sentMs = performance.now()
	const headers = { authorization: `Bearer ${program.token}` }
	const response = await fetch(program.url + path, { headers })
	const body = await response.text()
	if (response.status !== 200) throw new Error(`${response.status} ${body.slice(0, 200)}`)
	return performance.now() - sentMs
}

export function figuresOf(
	question: Question,
	latencies: readonly number[],
	refused: string | null,
): QuestionFigures {
	const [firstMs = Number.NaN, ...rest] = latencies
	const sorted = (rest.length > 0 ? rest : [firstMs]).sort((a, b) => a - b)
	return {
		...{ ...question, runs: sorted.length, firstMs, refused },
		...{ p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) },
	}
}

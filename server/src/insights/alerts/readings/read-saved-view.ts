import type { AlertCondition, AlertFigure, Asked } from '@signalbox/contract'
import { parseDuration, readTimeRange } from '../../../platform/time-range.ts'
import { askedOf, findSavedView } from '../../saved-views/saved-views.ts'
import type { AlertRule, Reading } from '../alert.ts'
import type { AlertContext, CallFigures } from '../alert-context.ts'

/** A figure as one number; null without data. */
const figureOf: Record<AlertFigure, (figures: CallFigures) => number | null> = {
	calls: ({ calls }) => calls,
	errors: ({ errors }) => errors,
	error_rate: ({ error_rate }) => error_rate,
	latency_p50_ms: ({ latency_ms }) => latency_ms.p50,
	latency_p95_ms: ({ latency_ms }) => latency_ms.p95,
	latency_p99_ms: ({ latency_ms }) => latency_ms.p99,
	tokens: ({ tokens }) => Object.values(tokens).reduce((sum, count) => sum + count, 0),
	cost_usd: ({ cost_nano_usd }) => Number(cost_nano_usd) / 1e9,
	unpriced_calls: ({ unpriced_calls }) => unpriced_calls,
	sessions: ({ sessions }) => sessions,
	users: ({ users }) => users,
}

/** The name of a figure in a sentence. */
const figureNames: Record<AlertFigure, string> = {
	calls: 'calls',
	errors: 'errors',
	error_rate: 'error rate',
	latency_p50_ms: 'latency p50 in ms',
	latency_p95_ms: 'latency p95 in ms',
	latency_p99_ms: 'latency p99 in ms',
	tokens: 'tokens',
	cost_usd: 'cost in US dollars',
	unpriced_calls: 'unpriced calls',
	sessions: 'sessions',
	users: 'users',
}

/** Evaluates a figure of a saved view's calls. */
export async function readSavedView(context: AlertContext, watch: AlertRule): Promise<Reading> {
	const view = await findSavedView(context.store.db, watch.workspaceId, watch.savedViewId ?? '')
	if (!view) throw new Error('Its saved view was deleted.')
	const { figure, condition, threshold } = watch
	const seen = await measure(context, watch, askedOf(view), context.clock.nowMs())
	const evaluated = evaluateCondition(condition as AlertCondition, threshold ?? 0, seen)
	const text = describe(view.name, figure as AlertFigure, seen, condition)
	const subjects = evaluated.status === 'firing' ? [watch.id] : []
	return { ...evaluated, text, subjects, path: spotlightPath(askedOf(view)) }
}

interface Measured {
	calls: number
	value: number | null
	/** The value in the previous range; null unless it is compared. */
	before: number | null
	range: string
}

/** The figure at a time. */
export async function measure(
	{ readFigures }: Pick<AlertContext, 'readFigures'>,
	{ workspaceId, figure, condition }: Measure,
	{ range, filter }: Pick<Asked, 'range' | 'filter'>,
	atMs: number,
): Promise<Measured> {
	const { startMs, endMs } = readTimeRange({ start: `-${range}` }, atMs)
	const read = (from: number, to: number) =>
		readFigures(workspaceId, { startMs: from, endMs: to }, filter, countsVisitors(figure))
	const now = await read(startMs, endMs)
	const take = figureOf[figure as AlertFigure]
	const before = isChange(condition) ? take(await read(2 * startMs - endMs, startMs)) : null
	return { calls: now.calls, value: take(now), before, range }
}

/** The same at many times, an interval apart, with few queries. */
export async function measureAtTimes(
	{ readWindows }: Pick<AlertContext, 'readWindows'>,
	{ workspaceId, figure, condition }: Measure,
	{ range, filter }: Pick<Asked, 'range' | 'filter'>,
	moments: { firstMs: number; intervalMs: number; count: number },
): Promise<Measured[]> {
	const { firstMs, ...often } = moments
	const lengthMs = parseDuration(range)
	const read = (firstEndMs: number) =>
		readWindows(workspaceId, { ...often, firstEndMs, lengthMs }, filter, countsVisitors(figure))
	const now = await read(firstMs)
	const before = isChange(condition) ? await read(firstMs - lengthMs) : null
	const take = figureOf[figure as AlertFigure]
	return now.map((figures, at) => {
		const earlier = before?.[at]
		return { calls: figures.calls, value: take(figures), before: earlier ? take(earlier) : null, range }
	})
}

type Measure = Pick<AlertRule, 'workspaceId' | 'figure' | 'condition'>

const countsVisitors = (figure: Measure['figure']) => figure === 'sessions' || figure === 'users'
/** Whether the condition compares with the previous range. */
const isChange = (condition: Measure['condition']) => condition === 'rise' || condition === 'fall'

/** `threshold` is in the unit of the figure; for a change, in percent of the previous range. */
export function evaluateCondition(
	condition: AlertCondition,
	threshold: number,
	{ calls, value, before }: Omit<Measured, 'range'>,
): Pick<Reading, 'status' | 'value'> {
	if (condition === 'no_data') return { status: calls === 0 ? 'firing' : 'ok', value: calls }
	if (value === null) return { status: 'no_data', value }
	if (condition === 'above') return { status: value > threshold ? 'firing' : 'ok', value }
	if (condition === 'below') return { status: value < threshold ? 'firing' : 'ok', value }
	if (!before) return { status: 'no_data', value }
	// Multiplied, because a quotient is rounded: 115 is 15 percent above 100, and 115 / 100 - 1 is less than 0.15.
	const isMoved =
		condition === 'rise'
			? value * 100 >= before * (100 + threshold)
			: value * 100 <= before * (100 - threshold)
	return { status: isMoved ? 'firing' : 'ok', value }
}

function describe(
	name: string,
	figure: AlertFigure,
	{ calls, value, before, range }: Measured,
	condition: AlertCondition | null,
): string {
	if (condition === 'no_data' || value === null)
		return `“${name}”: ${calls === 1 ? '1 call' : `${calls} calls`} in the last ${range}.`
	const compared = before === null ? '' : `, ${shown(figure, before)} in the ${range} before`
	return `“${name}”: ${figureNames[figure]} ${shown(figure, value)} in the last ${range}${compared}.`
}

/** A share is shown as a percentage, as people set its threshold. */
function shown(figure: AlertFigure, value: number): string {
	const rounded = (of: number) => String(Number(of.toPrecision(4)))
	return figure === 'error_rate' ? `${rounded(value * 100)} %` : rounded(value)
}

/** The Spotlight screen that shows a query, below `/ui`. */
export function spotlightPath({ read, range, filter, compare, sort }: Partial<Asked>): string {
	const isList = read !== undefined && read !== 'overview' && read !== 'timeseries'
	const search = {
		...(isList && { by: read }),
		...(range && { start: `-${range}` }),
		...(sort && sort !== 'calls' && { sort }),
		...(compare && { compare: 'true' }),
		...filter,
	}
	const fields = Object.entries(search).map(([name, value]) => [
		name,
		Array.isArray(value) ? JSON.stringify(value) : asText(String(value)),
	])
	return `/spotlight?${new URLSearchParams(fields as [string, string][])}`
}

/** The dashboard parses values that look like JSON, so such text must be quoted. */
function asText(value: string): string {
	if (value === 'true') return value
	try {
		JSON.parse(value)
		return JSON.stringify(value)
	} catch {
		return value
	}
}

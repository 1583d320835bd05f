import { formatCount, formatMs } from '../../lib/format.ts'
import { parseLines } from '../../lib/parse-lines.ts'
import type { Alert, AlertInput } from './queries.ts'

/** What a new alert watches, if it is not an existing saved view. */
export interface AlertView {
	range: '15m' | '1h' | '6h' | '24h' | '7d' | '30d'
	filter: Record<string, string>
}

export interface AlertDraft {
	name: string
	/** '': the calls of `view`. */
	question_id: string
	view?: AlertView
	figure: AlertInput['figure']
	condition: AlertInput['condition']
	/** As people write it: a share as a percentage. */
	threshold: string
	for_s: number
	interval_s: number
	emails: string
}

export const newDraft: AlertDraft = {
	name: '',
	question_id: '',
	view: { range: '1h', filter: {} },
	figure: 'errors',
	condition: 'above',
	threshold: '10',
	for_s: 0,
	interval_s: 60,
	emails: '',
}

export const figures: Record<AlertDraft['figure'], string> = {
	calls: 'Calls',
	errors: 'Errors',
	error_rate: 'Error rate (%)',
	latency_p50_ms: 'Latency p50 (ms)',
	latency_p95_ms: 'Latency p95 (ms)',
	latency_p99_ms: 'Latency p99 (ms)',
	tokens: 'Tokens',
	cost_usd: 'Cost (US$)',
	unpriced_calls: 'Calls without a price',
	sessions: 'Sessions',
	users: 'Users',
}

/** The unit of the threshold of built-in alerts; others have no threshold. */
export const thresholds: Partial<Record<Alert['kind'], string>> = {
	error_spike: 'Times the error rate of the day before',
	spend_spike: 'Times the cost of a usual day',
	agent_loop: 'Identical calls in 10 min',
}

const isChange = (condition: string | null) => condition === 'rise' || condition === 'fall'
/** Whether the threshold is a share, which people write as a percentage and the API as a fraction. */
const isShare = (figure: string | null, condition: string | null) =>
	figure === 'error_rate' && !isChange(condition)

export function thresholdLabel({ figure, condition }: AlertDraft): string {
	if (isChange(condition)) return 'Change (%)'
	const unit = figures[figure].match(/\(.*\)/)?.[0]
	return unit ? `Threshold ${unit}` : 'Threshold'
}

export function formatFigure(figure: AlertDraft['figure'], value: number): string {
	if (figure === 'error_rate') return `${Number((value * 100).toPrecision(3))} %`
	if (figure.startsWith('latency')) return formatMs(value)
	if (figure === 'cost_usd') return `$${Number(value.toPrecision(3))}`
	return Number.isInteger(value) ? formatCount(value) : ''
}

/** The settings of a draft in the form of the API. */
export function settingsOf(draft: AlertDraft, kind: Alert['kind']) {
	const isOnView = kind === 'question'
	const counts = isOnView ? draft.condition !== 'no_data' : thresholds[kind] !== undefined
	const written = Number.parseFloat(draft.threshold)
	const share = isOnView && isShare(draft.figure, draft.condition)
	return {
		name: draft.name.trim(),
		// 7 % must be 0.07, not 0.07000000000000001.
		threshold: counts ? (share ? Number((written / 100).toPrecision(12)) : written) : null,
		for_s: draft.for_s,
		interval_s: draft.interval_s,
		emails: parseLines(draft.emails),
	}
}

export function draftOf(alert: Alert): AlertDraft {
	const share = isShare(alert.figure, alert.condition)
	const written = share ? Number(((alert.threshold ?? 0) * 100).toPrecision(12)) : alert.threshold
	return {
		name: alert.name,
		question_id: alert.question_id ?? '',
		figure: alert.figure ?? newDraft.figure,
		condition: alert.condition ?? newDraft.condition,
		threshold: written === null ? newDraft.threshold : String(written),
		for_s: alert.for_s,
		interval_s: alert.interval_s,
		emails: alert.emails.join('\n'),
	}
}

/** A draft for a chart, with its conditions and the length of its range. */
export function draftOfView(
	figure: AlertDraft['figure'],
	view: AlertView,
	names: ReadonlyMap<string, string>,
): AlertDraft {
	const [[field, value] = []] = Object.entries(view.filter)
	// The id of an agent or a server is no name.
	const of = names.get(value ?? '') ?? (field === 'agent' || field === 'server' ? undefined : value)
	const name = `${figures[figure].replace(/ \(.*/, '')}${of ? ` of ${of}` : ''}`
	return { ...newDraft, name, figure, view, threshold: figure === 'error_rate' ? '5' : newDraft.threshold }
}

const ranges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const

/** The range of a page as an alert can watch it; undefined if it does not end now, or has another length. */
export function alertRange(start: string): AlertView['range'] | undefined {
	return ranges.find((range) => start === `-${range}`)
}

export interface AlertsSearch {
	tab?: 'questions'
	page?: number
	/** The saved view of a new alert; '' if it is still to be chosen. */
	watch?: string
	/** For a new alert from a chart. */
	figure?: AlertDraft['figure']
	range?: AlertView['range']
	filter?: Record<string, string>
}

export function parseAlertsSearch(search: Record<string, unknown>): AlertsSearch {
	const figure = Object.keys(figures).find((one) => one === search.figure)
	const range = ranges.find((one) => one === search.range)
	const filter = Object.entries(
		typeof search.filter === 'object' && search.filter !== null ? search.filter : {},
	).map(([name, value]) => [name, String(value)])
	return {
		...(search.tab === 'questions' && { tab: search.tab }),
		...(Number(search.page) > 1 && { page: Math.floor(Number(search.page)) }),
		...(typeof search.watch === 'string' && { watch: search.watch }),
		...(figure && { figure: figure as AlertDraft['figure'] }),
		...(range && { range }),
		...(filter.length > 0 && { filter: Object.fromEntries(filter) as Record<string, string> }),
	}
}

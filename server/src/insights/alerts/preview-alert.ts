import type { Asked, alertOperations, BodyOf, OutputOf } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { notFound } from '../../platform/errors.ts'
import { parseDuration } from '../../platform/time-range.ts'
import { askedOf, findQuestion } from '../questions/index.ts'
import { refuseThreshold } from './change-alerts.ts'
import type { AlertContext } from './context.ts'
import { nextStanding, type Standing } from './next-standing.ts'
import { judge, measure } from './readings/read-question.ts'

type Preview = (typeof alertOperations)['preview']
type Answer = OutputOf<Preview>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const weekMs = 7 * 24 * hourMs
/** Each asks the telemetry store, which has others to serve. */
const mostPoints = 336
const atOnce = 4

/**
 * What an alert would have done: its rule, judged at moments of the last days by the figures that are stored, and its
 * waiting time as the state machine of alerts has it. A short range is judged more often, over fewer days.
 */
export async function previewAlert(
	context: AlertContext,
	workspaceId: string,
	body: BodyOf<Preview>,
): Promise<Answer> {
	const { figure, condition, threshold = null, for_s = 0 } = body
	refuseThreshold(condition !== 'no_data', threshold)
	const asked = await askedIn(context, workspaceId, body)
	const intervalMs = intervalFor(parseDuration(asked.range))
	const count = Math.min(mostPoints, weekMs / intervalMs)
	const endMs = context.clock.nowMs()
	const moments = Array.from({ length: count }, (_, at) => endMs - (count - 1 - at) * intervalMs)
	const points: Answer['points'] = []
	for (let first = 0; first < moments.length; first += atOnce)
		points.push(
			...(await Promise.all(
				moments.slice(first, first + atOnce).map(async (atMs) => {
					const seen = await measure(context, { workspaceId, figure, condition }, asked, atMs)
					return { at: toIso(atMs), ...judge(condition, threshold ?? 0, seen) }
				}),
			)),
		)
	return {
		start: toIso(endMs - count * intervalMs),
		end: toIso(endMs),
		interval_ms: intervalMs,
		firings: firingsOf(points, for_s * 1000),
		points,
	}
}

/** A short range once for each of its lengths; a long one moves slowly. */
function intervalFor(rangeMs: number): number {
	if (rangeMs <= hourMs) return Math.max(15 * minuteMs, rangeMs)
	return Math.min(6 * hourMs, rangeMs / 12)
}

async function askedIn(
	{ store }: AlertContext,
	workspaceId: string,
	{ question_id, range = '24h', filter = {} }: BodyOf<Preview>,
): Promise<Pick<Asked, 'range' | 'filter'>> {
	if (question_id === undefined) return { range, filter }
	const question = await findQuestion(store.db, workspaceId, question_id)
	if (!question) throw notFound('question')
	return askedOf(question)
}

function firingsOf(points: Answer['points'], forMs: number): Answer['firings'] {
	const firings: Answer['firings'] = []
	let standing: Standing = { status: 'ok', sinceMs: 0, pending: null, pendingSinceMs: null }
	for (const { at, status, value } of points) {
		const next = nextStanding(standing, status, forMs, Date.parse(at))
		const last = firings.at(-1)
		if (next.status === 'firing' && standing.status !== 'firing')
			firings.push({ from: at, until: null, value: value ?? 0 })
		else if (last && last.until === null && next.status !== 'firing') last.until = at
		standing = next
	}
	return firings
}

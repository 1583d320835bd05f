import { renderHook, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { passes } from './live-filter.ts'
import type { Span } from './queries.ts'
import { liveReducer, shownSpans, useLiveSpans } from './use-live-spans.ts'

afterEach(() => vi.unstubAllGlobals())

const span = (id: string, more: Partial<Span> = {}) =>
	({ trace_id: 't', span_id: id, name: id, kind: 'tool_call', status: 'ok', ...more }) as Span
const empty = { state: 'open', spans: [], held: [], missed: 0 } as const
const ids = (spans: readonly Span[]) => spans.map(({ span_id }) => span_id)

test('while paused, arriving spans are held, and shown once it continues', () => {
	const shown = liveReducer(empty, { arrived: [span('1')], missed: 0, paused: false })
	const paused = liveReducer(shown, { arrived: [span('3'), span('2')], missed: 0, paused: true })
	expect(ids(paused.spans)).toEqual(['1'])
	const resumed = liveReducer(paused, { release: true })
	expect(ids(resumed.spans)).toEqual(['3', '2', '1'])
	expect(resumed.held).toEqual([])
	expect(ids(liveReducer(resumed, { arrived: [span('3')], missed: 0, paused: false }).spans)).toEqual([
		'3',
		'2',
		'1',
	])
})

test('what the connection could not transfer is counted', () => {
	const once = liveReducer(empty, { arrived: [], missed: 7, paused: false })
	expect(liveReducer(once, { arrived: [], missed: 5, paused: true }).missed).toBe(12)
})

test('a busy stream keeps the newest 500', () => {
	const many = Array.from({ length: 800 }, (_, index) => span(`${index}`))
	const live = liveReducer(empty, { arrived: many, missed: 0, paused: false })
	expect(live.spans).toHaveLength(500)
	expect(live.spans[0]?.span_id).toBe('0')
})

test('a filter applies to kind, outcome and the visible text of a call', () => {
	const call = span('1', { tool: 'create_issue', agent: { uuid: 'u', name: 'Billing-Bot' } })
	expect(passes(call, { kind: 'tool_call', status: 'ok', q: 'billing' })).toBe(true)
	expect(passes(call, { status: 'denied' })).toBe(false)
	expect(passes(call, { q: 'github' })).toBe(false)
	expect(passes(call, { agent_uuid: 'other' })).toBe(false)
})

test('a filter finds stored calls also when the stream is full of others, and no held ones', () => {
	const others = Array.from({ length: 500 }, (_, index) => span(`${index}`))
	const failed = span('old', { status: 'error' })
	const isFailed = ({ status }: Span) => status === 'error'
	expect(ids(shownSpans({ spans: others, held: [] }, [failed, others[0] as Span], isFailed))).toEqual(['old'])
	expect(shownSpans({ spans: [], held: [failed] }, [failed], isFailed)).toEqual([])
})

test('what ended while the stream was lost is shown above what had arrived before', async () => {
	const at = (ms: number) => ({ started_at: new Date(Date.now() + ms).toISOString(), duration_ms: 0 })
	const stored = [span('meanwhile', at(0)), span('first', at(0)), span('long ago', at(-60_000))]
	const streams = [
		new TransformStream<Uint8Array, Uint8Array>(),
		new TransformStream<Uint8Array, Uint8Array>(),
	]
	let opened = 0
	vi.stubGlobal('fetch', async ({ url }: Request) =>
		url.includes('/live') ? new Response(streams[opened++]?.readable) : Response.json({ spans: stored }),
	)
	const { result, unmount } = renderHook(() => useLiveSpans(false))
	const writer = streams[0]?.writable.getWriter()
	const bytes = new TextEncoder().encode(`event: span\ndata: ${JSON.stringify(span('first', at(0)))}\n\n`)
	await writer?.write(bytes)
	await waitFor(() => expect(ids(result.current.spans)).toEqual(['first']))
	await writer?.close()
	await waitFor(() => expect(ids(result.current.spans)).toEqual(['meanwhile', 'first']), { timeout: 5000 })
	unmount()
})

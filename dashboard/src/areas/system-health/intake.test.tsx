import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../../api.ts'
import { Intake } from './intake.tsx'

const none = { traces: 0, metrics: 0, logs: 0 }

test('received items are shown by signal, and missing ones with the reason', () => {
	const state = {
		accepted: { traces: 1200, metrics: 0, logs: 7 },
		repeated: none,
		dropped: [{ signal: 'traces', reason: 'trace_id is missing or not 16 bytes', items: 3 }],
		refused: [{ reason: 'recorder_full', requests: 2 }],
		event_loop_stall_ms: 12,
	} as Partial<Schemas['RecorderState']> as Schemas['RecorderState']
	render(<Intake state={state} />)
	const shownFor = (name: string) => screen.getByText(name).parentElement?.textContent
	expect(shownFor('Accepted')).toMatch(/1.200 spans, 7 log records$/)
	expect(shownFor('Sent again, and not stored twice')).toMatch(/nothing$/)
	expect(shownFor('Dropped spans: trace_id is missing or not 16 bytes')).toMatch(/3$/)
	expect(shownFor('Refused: recorder full')).toMatch(/2 requests$/)
})

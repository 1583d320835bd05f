import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Schemas } from '../../api.ts'
import { Intake } from './intake.tsx'
import { ClockNotice } from './system-health-screen.tsx'

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

test('a clock far ahead is reported with the button that confirms it, and a trusted one not at all', () => {
	const show = (status: Schemas['InstanceClock']['status']) => {
		const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
		const now = '2026-11-21T08:30:00.000Z'
		queries.setQueryData(['system', 'clock'], {
			status,
			now,
			deletes_again_at: status === 'doubted' ? now : null,
		})
		return render(
			<QueryClientProvider client={queries}>
				<ClockNotice />
			</QueryClientProvider>,
		)
	}
	const trusted = show('believed')
	expect(trusted.container.textContent).toBe('')
	trusted.unmount()
	const ahead = show('unconfirmed')
	expect(ahead.container.textContent).toContain('before you confirm it')
	expect(screen.getByRole('button', { name: 'The clock is right' })).toBeTruthy()
	ahead.unmount()
	const jumped = show('doubted')
	expect(jumped.container.textContent).toContain(' until ')
	expect(jumped.container.querySelector('button')).toBeNull()
})

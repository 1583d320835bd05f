import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { type Decision, DecisionForm } from './decision-form.tsx'
import { describeOutcome } from './describe-outcome.ts'
import type { Approval } from './queries.ts'

const approval: Approval = {
	id: 'a1',
	agent: { uuid: 'g1', name: 'Rosa' },
	server: { id: 's1', name: 'Files', slug: 'files' },
	tool: 'wipe',
	arguments: {},
	approver: 'workspace',
	status: 'pending',
	reason: null,
	decided_at: null,
	decided_by: null,
	asked_by: null,
	valid_until: null,
	for_minutes: null,
	used_at: null,
	requested_at: '2026-11-21T08:00:00.000Z',
	expires_at: '2026-11-21T09:00:00.000Z',
}
const onCancel = vi.fn()

afterEach(() => {
	cleanup()
	onCancel.mockReset()
	vi.unstubAllGlobals()
})

/** Renders the form; returns what it sends, as path and body. */
function show(decision: Decision, answer: () => Response = () => Response.json(approval)) {
	const sent: [string, unknown][] = []
	vi.stubGlobal('fetch', async (request: Request) => {
		sent.push([new URL(request.url).pathname, await request.json()])
		return answer()
	})
	render(
		<QueryClientProvider client={new QueryClient()}>
			<DecisionForm approval={approval} decision={decision} onCancel={onCancel} />
		</QueryClientProvider>,
	)
	return sent
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

test('approving applies to this call only, and its button has the focus', async () => {
	const sent = show('approve')
	expect(document.activeElement?.textContent).toBe('Approve once')
	press('Approve once')
	await waitFor(() => expect(sent).toEqual([['/v1/approvals/a1/approve', {}]]))
})

test('a period is given in minutes and is at most a day', async () => {
	const sent = show('approve')
	fireEvent.click(screen.getByRole('radio', { name: /^All calls of wipe by Rosa, whatever their arguments/ }))
	const minutes = screen.getByRole('spinbutton', { name: 'Minutes' })
	for (const wrong of ['0', '1441', '1.5', '']) {
		fireEvent.change(minutes, { target: { value: wrong } })
		expect(screen.getByRole('button', { name: 'Approve for a time' })).toHaveProperty('disabled', true)
	}
	fireEvent.change(minutes, { target: { value: '90' } })
	press('Approve for a time')
	await waitFor(() => expect(sent).toEqual([['/v1/approvals/a1/approve', { for_minutes: 90 }]]))
})

test('a denial sends the reason, and a failure is shown next to it', async () => {
	const problem = { title: 'Decided already', detail: 'It is used.', code: 'other', status: 409 }
	const sent = show('deny', () => Response.json(problem, { status: 409 }))
	expect(document.activeElement?.tagName).toBe('TEXTAREA')
	fireEvent.change(screen.getByRole('textbox', { name: /^Reason/ }), { target: { value: ' no ' } })
	press('Deny the call')
	await screen.findByText('It is used.')
	expect(sent).toEqual([['/v1/approvals/a1/deny', { reason: 'no' }]])
})

test('Escape sends no decision', () => {
	const sent = show('deny')
	fireEvent.keyDown(screen.getByRole('textbox', { name: /^Reason/ }), { key: 'Escape' })
	expect(onCancel).toHaveBeenCalledOnce()
	expect(sent).toEqual([])
})

test('a decided call is shown with who decided, and why', () => {
	const decided_by = { kind: 'user', id: 'u1', name: 'Ada' }
	expect(describeOutcome(approval)).toBeNull()
	expect(describeOutcome({ ...approval, status: 'denied', decided_by, reason: 'too late' })).toBe(
		'Denied by Ada: “too late”.',
	)
	expect(describeOutcome({ ...approval, status: 'expired' })).toContain('No one decided in time.')
	const standing = { ...approval, status: 'approved', decided_by, for_minutes: 5 } as const
	expect(describeOutcome({ ...standing, valid_until: '2026-11-21T08:05:00.000Z' })).toContain(
		'All calls of wipe by Rosa are approved by Ada until 21 Nov 2026',
	)
})

import { type ProblemCode, problems } from '@signalbox/contract/problems'
import { render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api.ts'
import { ErrorState, InlineError } from './states.tsx'

const codes = Object.keys(problems) as ProblemCode[]
const technical =
	/Retry-After|If-Match|ETag|Idempotency-Key|\bHost\b|\bheaders?\b|\bx-[a-z]|\/v1\/|\b(GET|POST|PUT|PATCH|DELETE)\b|\b[1-5]\d\d\b/

const failure = (code: ProblemCode) =>
	new ApiError({ code, title: problems[code].title, detail: 'It says so.', request_id: 'r-17' }, 409)

afterEach(() => vi.useRealTimers())

test('no failure shows people a status, a header or a path of the API; each has an id that is in the log', async () => {
	for (const code of codes) {
		const { container, unmount } = render(
			<>
				<ErrorState error={failure(code)} />
				<InlineError error={failure(code)} />
			</>,
		)
		expect((await screen.findAllByText(/About this error/)).length, code).toBe(2)
		expect(container.textContent, code).not.toMatch(technical)
		expect(container.textContent?.match(/r-17/g)?.length, code).toBe(2)
		unmount()
	}
})

test('being offline, overload and a missing role each say what to do', async () => {
	const offline = new ApiError(
		{ code: 'unreachable' as never, title: 'You are offline', detail: 'Check the network of this device.' },
		0,
	)
	const { unmount } = render(<ErrorState error={offline} retry={() => {}} />)
	screen.getByText('Check the network of this device.')
	screen.getByText('Retrying automatically…')
	unmount()
	const busy = new ApiError(
		{ code: 'overloaded', title: problems.overloaded.title, detail: 'Too much.' },
		503,
	)
	const second = render(<ErrorState error={busy} retry={() => {}} />)
	screen.getByText('Retrying automatically…')
	second.unmount()
	render(<InlineError error={failure('forbidden')} />)
	await screen.findByText(/an admin of the workspace can grant it/)
})

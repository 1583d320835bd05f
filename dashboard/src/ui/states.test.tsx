import { type ProblemCode, problems } from '@signalbox/contract/problems'
import { render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api.ts'
import { ListContent } from './list-screen.tsx'
import { Pager } from './pager.tsx'
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

test('a failure without a text of its own says once what happened', () => {
	const { title, remedy } = problems.workspace_mismatch
	const { container } = render(
		<ErrorState
			error={new ApiError({ code: 'workspace_mismatch', title, detail: `${title}. ${remedy}` }, 409)}
		/>,
	)
	expect(container.textContent?.split(title)).toHaveLength(2)
})

test('a page beyond the end of a list does not say that there is nothing, and leads back', () => {
	const pagination = { page: 7, limit: 20, total: 2006, total_pages: 2 }
	const onChange = vi.fn()
	render(
		<>
			<ListContent
				query={{ data: { pagination }, error: null, isPending: false, refetch: () => {} }}
				empty={{ icon: 'agent', what: 'agent', text: '' }}
				action={null}
				q={undefined}
				table={() => null}
			/>
			<Pager pagination={pagination} onChange={onChange} />
		</>,
	)
	screen.getByText('Nothing on this page')
	screen.getByText('Page 7 of 2')
	screen.getByRole('button', { name: 'Previous' }).click()
	expect(onChange).toHaveBeenCalledWith(2)
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

import { QueryClientProvider, useMutation } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError, readAllPages } from '../api.ts'
import { meQuery } from '../areas/identity/session.ts'
import { Button } from '../ui/button.tsx'
import { deleteWithUndo } from '../ui/delete-with-undo.ts'
import { ToastPlace } from '../ui/toast.tsx'
import { createQueries } from './queries.ts'

afterEach(cleanup)

function Create({ send }: { send: () => Promise<void> }) {
	const create = useMutation({ mutationFn: send })
	return (
		<Button busy={create.isPending} onClick={() => create.mutate()}>
			Create key
		</Button>
	)
}

test('a double click creates one object', async () => {
	const send = vi.fn(() => new Promise<void>(() => {}))
	render(
		<QueryClientProvider client={createQueries()}>
			<Create send={send} />
		</QueryClientProvider>,
	)
	const button = screen.getByRole('button', { name: 'Create key' })
	// As in a browser: between the two clicks only microtasks run, when the page is slow. No `act`, which would render in between.
	button.click()
	for (let at = 0; at < 10; at += 1) await null
	button.click()
	await new Promise((resolve) => setTimeout(resolve, 0))
	expect(send).toHaveBeenCalledOnce()
})

test('a change that is refused for its role makes the page read the rights again', async () => {
	const queries = createQueries()
	queries.setQueryData(meQuery.queryKey, {} as never)
	const fail = (status: number) => () => Promise.reject(new ApiError({ detail: 'No.' }, status))
	const isOld = async (status: number) => {
		render(
			<QueryClientProvider client={queries}>
				<Create send={fail(status)} />
			</QueryClientProvider>,
		)
		screen.getByRole('button', { name: 'Create key' }).click()
		await vi.waitFor(() => expect(queries.isMutating()).toBe(0))
		cleanup()
		return queries.getQueryState(meQuery.queryKey)?.isInvalidated
	}
	expect(await isOld(409)).toBe(false)
	expect(await isOld(403)).toBe(true)
})

test('a list shows why an object could not be deleted, and says nothing of one that is gone already', async () => {
	render(<ToastPlace />)
	const refresh = vi.fn(async () => {})
	const fail = (status: number) => () => Promise.reject(new ApiError({ detail: 'A route uses it.' }, status))
	const restore = vi.fn()
	await deleteWithUndo({ name: 'gone', remove: fail(404), restore, refresh })
	await deleteWithUndo({ name: 'openai', remove: fail(409), restore, refresh })
	await screen.findByText('openai is not deleted. A route uses it.')
	expect(screen.queryByText(/gone/)).toBeNull()
	expect(refresh).toHaveBeenCalledTimes(2)
})

test('all pages of a list are read, in order and a few at a time', async () => {
	let open = 0
	let most = 0
	const read = async (page: number) => {
		most = Math.max(most, ++open)
		await Promise.resolve()
		open -= 1
		return { page, pagination: { total_pages: 10 } }
	}
	expect((await readAllPages(read)).map(({ page }) => page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
	expect(most).toBe(4)
	expect(await readAllPages(async () => ({ pagination: { total_pages: 0 } }))).toHaveLength(1)
})

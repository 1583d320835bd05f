import { QueryClient, QueryClientProvider, useQueries } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { meQuery } from '../areas/identity/session.ts'
import { useWorkspaceEvents } from './use-workspace-events.ts'

const read = { servers: 0, definitions: 0, agents: 0 }

/** Counts how often each of its lists is read. */
function Lists() {
	useWorkspaceEvents()
	const names = Object.keys(read) as (keyof typeof read)[]
	useQueries({ queries: names.map((name) => ({ queryKey: [name], queryFn: () => ++read[name] })) })
	return 'lists'
}

afterEach(() => vi.unstubAllGlobals())

test('what may have changed before the stream was open, changes later, or was missed, is read once more', async () => {
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
	vi.stubGlobal('fetch', async () => new Response(readable))
	const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
	queries.setQueryData(meQuery.queryKey, { workspace: { id: 'w', name: 'Acme', role: 'admin' } } as never)
	render(
		<QueryClientProvider client={queries}>
			<Lists />
		</QueryClientProvider>,
	)
	await screen.findByText('lists')
	await waitFor(() => expect(read).toEqual({ servers: 2, definitions: 2, agents: 1 }))
	const writer = writable.getWriter()
	const send = (...types: string[]) =>
		writer.write(new TextEncoder().encode(types.map((type) => `event: ${type}\ndata: {}\n\n`).join('')))
	await send('tool.approved', 'tool-definitions.decide')
	await waitFor(() => expect(read.servers).toBeGreaterThan(2))
	expect(read).toEqual({ servers: 3, definitions: 3, agents: 1 })
	await send('gap')
	await waitFor(() => expect(read).toEqual({ servers: 4, definitions: 4, agents: 1 }))
})

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ApiError } from '../api.ts'
import { ConnectionNotice } from './connection-notice.tsx'

test('a list that can no longer be refreshed says so, until an answer comes', async () => {
	const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
	const read = (queryFn: () => Promise<string>) =>
		queries.fetchQuery({ queryKey: ['agents'], queryFn }).catch(() => undefined)
	render(
		<QueryClientProvider client={queries}>
			<ConnectionNotice />
		</QueryClientProvider>,
	)
	const notice = /^Signalbox does not answer\. What is shown may be out of date/
	await read(async () => 'bot')
	expect(screen.queryByText(notice)).toBeNull()
	await new Promise((resolve) => setTimeout(resolve, 2))
	await read(() => Promise.reject(new ApiError({}, 0)))
	await screen.findByText(notice)
	await new Promise((resolve) => setTimeout(resolve, 2))
	await read(async () => 'bot')
	await waitFor(() => expect(screen.queryByText(notice)).toBeNull())
})

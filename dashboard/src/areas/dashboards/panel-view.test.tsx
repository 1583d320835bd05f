import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../../api.ts'
import { PanelView } from './panel-view.tsx'
import { newPanel } from './panels.ts'

afterEach(cleanup)

test.each([
	['errors', 'No failures in this period'],
	['users', 'No users in the calls of this period'],
	['usage', 'No calls in this period'],
] as const)('an empty list of %s does not say that there were no calls', async (read, text) => {
	vi.spyOn(api, 'GET').mockResolvedValue({
		data: { [read]: [], groups: [], rows: [], total: 0 },
		response: new Response(),
	} as never)
	render(
		<QueryClientProvider client={new QueryClient()}>
			<PanelView
				panel={newPanel({ show: 'list', read, id: 'p' } as never)}
				range={{ start: '-24h' }}
				compare={false}
				onZoom={() => {}}
			/>
		</QueryClientProvider>,
	)
	expect(await screen.findByText(text)).toBeTruthy()
})

import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Tabs } from './tabs.tsx'

test('a tab that does not exist shows the first one', () => {
	const tabs = [
		{ value: 'tools', label: 'Tools', content: 'All tools' },
		{ value: 'health', label: 'Health', content: 'All checks' },
	]
	render(<Tabs label="Server" value="no such tab" onChange={() => undefined} tabs={tabs} />)
	expect(screen.getByRole('tab', { name: 'Tools' }).getAttribute('aria-selected')).toBe('true')
	expect(screen.getByRole('tabpanel').textContent).toBe('All tools')
})

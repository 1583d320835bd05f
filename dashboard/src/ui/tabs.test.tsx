import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { DisclosureEntry } from './disclosure.tsx'
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

test('a list entry has its content only while it is open', () => {
	const { container } = render(<DisclosureEntry line="Entry">Content</DisclosureEntry>)
	expect(screen.queryByText('Content')).toBeNull()
	const details = container.querySelector('details') as HTMLDetailsElement
	details.open = true
	fireEvent(details, new Event('toggle'))
	screen.getByText('Content')
})

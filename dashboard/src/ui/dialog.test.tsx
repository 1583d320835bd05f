import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Menu, MenuItem } from './menu.tsx'

afterEach(cleanup)

const isFocused = (name: string) => () =>
	expect(document.activeElement).toBe(screen.getByRole('button', { name }))

/** A list with a button for its first entry, which is replaced by another one when the entry exists. */
function Keys() {
	const [isOpen, setIsOpen] = useState(false)
	const [isMade, setIsMade] = useState(false)
	const create = <Button onClick={() => setIsOpen(true)}>Create key</Button>
	return (
		<>
			{isMade ? <header>{create}</header> : <section>{create}</section>}
			<Dialog open={isOpen} onClose={() => setIsOpen(false)} title="Create a key">
				<input aria-label="Name" />
				<Button onClick={() => setIsMade(true)}>Make it</Button>
			</Dialog>
		</>
	)
}

async function open(): Promise<void> {
	screen.getByText('Create key').focus()
	fireEvent.click(screen.getByText('Create key'))
	await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Name'))
}

const close = () => fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })

/** The library listens to clicks outside a moment after the dialog has opened. */
async function pressOutside(): Promise<void> {
	const pause = () => new Promise((resolve) => setTimeout(resolve, 0))
	await pause()
	fireEvent.pointerDown(document.body)
	fireEvent.click(document.body)
	await pause()
}

test('the focus returns to the button that opened the dialog', async () => {
	render(<Keys />)
	await open()
	close()
	await waitFor(isFocused('Create key'))
})

test('if a new button has replaced it meanwhile, the focus goes there', async () => {
	render(<Keys />)
	await open()
	fireEvent.click(screen.getByText('Make it'))
	close()
	await waitFor(isFocused('Create key'))
	expect(document.activeElement?.parentElement?.tagName).toBe('HEADER')
})

test('a click outside closes a dialog only while nothing was entered', async () => {
	render(<Keys />)
	await open()
	await pressOutside()
	await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
	await open()
	fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'Nightly' } })
	await pressOutside()
	expect(screen.queryByRole('dialog')).not.toBeNull()
	close()
	await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

function WithMenu({ isMenu, isDialog }: { isMenu: boolean; isDialog: boolean }) {
	return (
		<>
			<Button>Actions</Button>
			{isMenu && (
				<div role="menu">
					<Button>Rotate</Button>
				</div>
			)}
			<Dialog open={isDialog} onClose={() => undefined} title="Rotate">
				<input aria-label="Name" />
			</Dialog>
		</>
	)
}

test('the dialog of a menu item returns the focus to the button of the menu', async () => {
	const { rerender } = render(<WithMenu isMenu isDialog={false} />)
	screen.getByText('Actions').focus()
	screen.getByText('Rotate').focus()
	rerender(<WithMenu isMenu={false} isDialog />)
	await screen.findByRole('dialog')
	rerender(<WithMenu isMenu={false} isDialog={false} />)
	await waitFor(isFocused('Actions'))
})

test('a menu takes the focus at once when it is opened for the first time', async () => {
	await import('./menu-parts.tsx')
	render(
		<Menu trigger={<button type="button">More</button>}>
			<MenuItem onSelect={() => undefined}>Rename</MenuItem>
		</Menu>,
	)
	const trigger = screen.getByRole('button', { name: 'More' })
	trigger.focus()
	trigger.click()
	// React shows what was suspended 300 ms later at the earliest.
	const menu = await screen.findByRole('menu', {}, { timeout: 250 })
	expect(menu.contains(document.activeElement)).toBe(true)
	expect(menu.textContent).toBe('Rename')
})

import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ToastPlace } from '../../ui/toast.tsx'
import { SecretOnce } from './secret-once.tsx'

afterEach(cleanup)

test('the dialog can be closed only after confirming that the secret was stored', () => {
	const onDone = vi.fn()
	render(<SecretOnce what="key" secret="sk_service_x" onDone={onDone} />)
	expect(screen.getByTestId('secret').textContent).toBe('sk_service_x')
	const done = screen.getByRole<HTMLButtonElement>('button', { name: 'Done' })
	expect(done.disabled).toBe(true)
	fireEvent.click(screen.getByRole('checkbox', { name: 'I have stored the key' }))
	fireEvent.click(done)
	expect(onDone).toHaveBeenCalledOnce()
})

test('the copy button copies the complete secret and says so', async () => {
	const writeText = vi.fn(() => Promise.resolve())
	vi.stubGlobal('navigator', { clipboard: { writeText } })
	render(<SecretOnce what="token" secret="it_service_x" onDone={() => {}} />)
	fireEvent.click(screen.getByRole('button', { name: 'Copy token' }))
	await screen.findByText('Copied')
	expect(writeText).toHaveBeenCalledWith('it_service_x')
	vi.unstubAllGlobals()
})

test('a browser that refuses to copy is reported, and nothing is said to be copied', async () => {
	const refused = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'))
	vi.stubGlobal('navigator', { clipboard: { writeText: refused } })
	render(
		<>
			<SecretOnce what="token" secret="it_service_x" onDone={() => {}} />
			<ToastPlace />
		</>,
	)
	fireEvent.click(screen.getByRole('button', { name: 'Copy token' }))
	await screen.findByText('The browser did not allow copying. Select the text and copy it by hand.')
	expect(screen.queryByText('Copied')).toBeNull()
	vi.unstubAllGlobals()
})

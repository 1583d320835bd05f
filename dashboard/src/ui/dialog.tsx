import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { showDirections } from '../lib/show-hidden.ts'
import { IconButton } from './button.tsx'
import { cn } from './cn.ts'

interface DialogProps {
	open: boolean
	onClose(): void
	title: string
	description?: ReactNode
	wide?: boolean
	/** Escape or a click outside does not close it, for content that is shown only once. */
	sticky?: boolean
	children: ReactNode
}

export function Dialog({ open, onClose, title, description, wide, sticky, children }: DialogProps) {
	const isEdited = useRef(false)
	const keepOpen = (event: Event) => sticky && event.preventDefault()
	// A click beside the dialog is easily made by mistake, and would lose what was entered.
	const keepEntered = (event: Event) => (sticky || isEdited.current) && event.preventDefault()
	const opener = useRef<Element | null>(null)
	const onOpenAutoFocus = (event: Event) => {
		opener.current = document.activeElement
		isEdited.current = false
		focusFirstField(event)
	}
	// Returns the focus to where the keyboard user was. The library does that only for buttons that are declared as triggers.
	const onCloseAutoFocus = (event: Event) => {
		event.preventDefault()
		focusPlace(opener.current)
	}
	return (
		<Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
			<Radix.Portal>
				<Radix.Overlay className="fixed inset-0 z-50 bg-black/45" />
				<Radix.Content
					onInput={({ currentTarget }) => {
						isEdited.current = true
						currentTarget.dataset.edited = ''
					}}
					onPointerDownOutside={keepEntered}
					onEscapeKeyDown={keepOpen}
					onOpenAutoFocus={onOpenAutoFocus}
					onCloseAutoFocus={onCloseAutoFocus}
					{...(!description && { 'aria-describedby': undefined })}
					className={cn(
						'fixed inset-x-3 top-1/2 z-50 mx-auto flex max-h-[calc(100dvh-2rem)] -translate-y-1/2 animate-rise flex-col',
						'rounded-xl border border-line bg-surface shadow-float focus:outline-none',
						wide ? 'max-w-2xl' : 'max-w-lg',
					)}
				>
					<header className="flex items-start gap-3 border-b border-line px-5 py-3.5 wrap-anywhere">
						<div className="min-w-0 flex-1">
							<Radix.Title className="text-[15px] font-semibold">{showDirections(title)}</Radix.Title>
							{description && (
								<Radix.Description className="mt-0.5 text-ink-3">{description}</Radix.Description>
							)}
						</div>
						{!sticky && (
							<Radix.Close asChild>
								<IconButton icon="close" label="Close" className="-mr-2" />
							</Radix.Close>
						)}
					</header>
					<div className="overflow-y-auto px-5 py-4">{children}</div>
				</Radix.Content>
			</Radix.Portal>
		</Radix.Root>
	)
}

/** The last element outside menus and dialogs that had the focus: a menu is gone when the dialog of one of its items opens. */
let place: Element | null = null
document.addEventListener('focusin', ({ target }) => {
	if (
		target instanceof Element &&
		!target.closest('[role="menu"], [role="dialog"], [data-radix-focus-guard]')
	)
		place = target
})

/** Without a focus, the Tab key would start again at the first link of the page. */
function focusPlace(opener: Element | null): void {
	const places = [opener, place, twinOf(opener), twinOf(place), document.getElementById('content')]
	const isUsable = (element: Element | null) => element?.isConnected && element !== document.body
	const found = places.find(isUsable)
	if (found instanceof HTMLElement) found.focus({ preventScroll: found.id === 'content' })
}

/** The button of the same name: a list that is no longer empty, and a menu that is opened for the first time, replace their button. */
function twinOf(opener: Element | null): Element | null {
	const nameOf = (element: Element) => element.getAttribute('aria-label') ?? element.textContent
	const isTwin = (button: Element) => opener !== null && nameOf(button) === nameOf(opener)
	return [...document.querySelectorAll('button')].find(isTwin) ?? null
}

/** The buttons at the end of a dialog's form. */
export function DialogActions({ children }: { children: ReactNode }) {
	return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
}

/** Focuses the first field; without a field the dialog's first button gets the focus. */
function focusFirstField(event: Event): void {
	const field = (event.currentTarget as HTMLElement).querySelector<HTMLElement>('input, select, textarea')
	if (!field) return
	event.preventDefault()
	field.focus()
}

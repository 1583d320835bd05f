import { cloneElement, type ReactElement, type ReactNode, useState } from 'react'
import type { IconName } from './icons.tsx'

type Parts = typeof import('./menu-parts.tsx')

// Triggers of menus are on nearly every screen, open menus are rare: their code is loaded when somebody is about to open the first.
// It is not `lazy`, because React shows a suspended menu only after some tenths of a second, in which keys would go to the page.
let parts: Parts
const load = async () => {
	parts = await import('./menu-parts.tsx')
}

/** These are rendered in an open menu only. */
export const MenuItem: Parts['MenuItem'] = (props) => <parts.MenuItem {...props} />
export const MenuLabel: Parts['MenuLabel'] = (props) => <parts.MenuLabel {...props} />
export const MenuLine: Parts['MenuLine'] = () => <parts.MenuLine />

export interface MenuProps {
	/** A button. */
	trigger: ReactElement<object>
	children: ReactNode
	align?: 'start' | 'end'
}

export interface MenuItemProps {
	icon?: IconName
	danger?: boolean
	checked?: boolean
	disabled?: boolean
	onSelect(): void
	children: ReactNode
}

export function Menu(props: MenuProps) {
	const [wasOpened, setWasOpened] = useState(false)
	const open = () => setWasOpened(true)
	// Thrown while rendering, it reaches the screen's error boundary.
	const fail = (error: unknown) =>
		setWasOpened(() => {
			throw error
		})
	const trigger = cloneElement(props.trigger, {
		'aria-haspopup': 'menu',
		'aria-expanded': false,
		onPointerEnter: load,
		onFocus: load,
		onClick: () => load().then(open, fail),
	} as object)
	return wasOpened ? <parts.OpenMenu {...props} /> : trigger
}

import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import type { IconName } from './icons.tsx'

// Triggers of menus are on nearly every screen, open menus are rare: their code is loaded when somebody is about to open the first.
const load = () => import('./menu-parts.tsx')
const OpenMenu = lazy(async () => ({ default: (await load()).OpenMenu }))

export const MenuItem = lazy(async () => ({ default: (await load()).MenuItem }))
export const MenuLabel = lazy(async () => ({ default: (await load()).MenuLabel }))
export const MenuLine = lazy(async () => ({ default: (await load()).MenuLine }))

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
	const trigger = cloneElement(props.trigger, {
		'aria-haspopup': 'menu',
		'aria-expanded': false,
		onPointerEnter: load,
		onFocus: load,
		onClick: () => setWasOpened(true),
	} as object)
	if (!wasOpened) return trigger
	return (
		<Suspense fallback={trigger}>
			<OpenMenu {...props} />
		</Suspense>
	)
}

import { DropdownMenu } from 'radix-ui'
import { cn } from './cn.ts'
import { Icon } from './icons.tsx'
import type { MenuItemProps, MenuProps } from './menu.tsx'

/** An open menu; its trigger replaces the plain one. */
export function OpenMenu({ trigger, children, align = 'end' }: MenuProps) {
	return (
		<DropdownMenu.Root modal={false} defaultOpen>
			<DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
			<DropdownMenu.Portal>
				<DropdownMenu.Content
					align={align}
					sideOffset={6}
					collisionPadding={8}
					className="z-50 min-w-48 animate-rise rounded-lg border border-line bg-surface p-1 shadow-float"
				>
					{children}
				</DropdownMenu.Content>
			</DropdownMenu.Portal>
		</DropdownMenu.Root>
	)
}

export function MenuItem({ icon, danger, checked, disabled, onSelect, children }: MenuItemProps) {
	return (
		<DropdownMenu.Item
			onSelect={onSelect}
			disabled={disabled ?? false}
			className={cn(
				'flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-hover data-disabled:opacity-55',
				danger ? 'text-bad' : 'text-ink',
			)}
		>
			{icon && <Icon name={icon} className={danger ? undefined : 'text-ink-3'} />}
			<span className="flex-1">{children}</span>
			{checked && <Icon name="check" className="text-accent" />}
		</DropdownMenu.Item>
	)
}

export function MenuLabel({ children }: Pick<MenuItemProps, 'children'>) {
	return <DropdownMenu.Label className="px-2 py-1.5 text-xs text-ink-3">{children}</DropdownMenu.Label>
}

export function MenuLine() {
	return <DropdownMenu.Separator className="my-1 h-px bg-line" />
}

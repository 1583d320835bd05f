import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useMe } from '../areas/identity/session.ts'
import { setTheme, type Theme, useTheme } from '../lib/theme.ts'
import { offsetName, timeZone } from '../lib/time-zone.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { forgetDrafts } from '../ui/kept-draft.ts'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'

const themes: readonly { value: Theme; label: string; icon: IconName }[] = [
	{ value: 'light', label: 'Light', icon: 'sun' },
	{ value: 'dark', label: 'Dark', icon: 'moon' },
	{ value: 'system', label: 'System', icon: 'system' },
]

/** The signed-in person, the colour theme, and signing out. */
export function AccountMenu() {
	const { user, workspace, operator } = useMe()
	const theme = useTheme()
	const navigate = useNavigate()
	const signOut = useSignOut()
	const trigger = (
		<button
			type="button"
			className="flex h-10 items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-hover data-[state=open]:bg-hover"
		>
			<span className="grid size-6 place-items-center rounded-full bg-accent-soft text-accent">
				<Icon name="person" className="size-3.5" />
			</span>
			<span className="min-w-0 flex-1">
				<span className="block truncate font-medium">{user.name || user.email}</span>
			</span>
			<Icon name="down" className="size-3.5 text-ink-3" />
		</button>
	)
	return (
		<Menu trigger={trigger} align="start">
			<MenuLabel>
				{user.email}
				<br />
				{operator ? 'operator, ' : ''}
				{workspace.role} of {workspace.name}
			</MenuLabel>
			<MenuItem icon="person" onSelect={() => void navigate({ to: '/account' })}>
				Your account
			</MenuItem>
			<MenuItem icon="map" onSelect={() => void navigate({ to: '/account' })}>
				{timeZone.replaceAll('_', ' ')}, {offsetName(timeZone)}
			</MenuItem>
			<MenuLine />
			{themes.map(({ value, label, icon }) => (
				<MenuItem key={value} icon={icon} checked={theme === value} onSelect={() => setTheme(value)}>
					{label}
				</MenuItem>
			))}
			<MenuLine />
			<MenuItem icon="close" onSelect={() => void signOut()}>
				Sign out
			</MenuItem>
		</Menu>
	)
}

function useSignOut(): () => Promise<void> {
	const queries = useQueryClient()
	const navigate = useNavigate()
	return async () => {
		await api.POST('/auth/logout')
		queries.clear()
		forgetDrafts()
		await navigate({ to: '/sign-in' })
	}
}

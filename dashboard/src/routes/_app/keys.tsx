import { createFileRoute } from '@tanstack/react-router'
import { KeysScreen } from '../../areas/identity/keys-screen.tsx'

export const Route = createFileRoute('/_app/keys')({
	validateSearch: (search: Record<string, unknown>): { tab?: 'tokens' } =>
		search.tab === 'tokens' ? { tab: 'tokens' } : {},
	component: KeysScreen,
})

import { createFileRoute } from '@tanstack/react-router'
import { KeysScreen } from '../../areas/identity/keys-screen.tsx'
import { parseKeysSearch } from '../../areas/identity/keys-search.ts'

export const Route = createFileRoute('/_app/keys')({
	validateSearch: parseKeysSearch,
	component: KeysScreen,
})

import { createFileRoute } from '@tanstack/react-router'
import { AlertScreen } from '../../areas/alerts/alert-screen.tsx'

export const Route = createFileRoute('/_app/alerts/$alertId')({ component: AlertScreen })

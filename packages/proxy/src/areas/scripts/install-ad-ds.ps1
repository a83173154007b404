# Makes this Windows Server the first domain controller of a new Active Directory domain, and restarts it.
# Run it in PowerShell as an administrator. Where there is a domain already, go on with configure-ad.ps1.

$ErrorActionPreference = 'Stop'

$identity = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
if (-not $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    throw 'Run this in PowerShell as an administrator.'
}
if (-not (Get-Command Install-WindowsFeature -ErrorAction SilentlyContinue)) {
    throw 'This is no Windows Server: a domain controller cannot run here.'
}
if ((Get-CimInstance Win32_ComputerSystem).DomainRole -ge 4) {
    Write-Host 'This machine is a domain controller already. There is nothing to do.'
    return
}

$domain = (Read-Host 'Name of the new domain, such as corp.example.com').Trim()
if ($domain -notmatch '^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}$') {
    throw "`"$domain`" is no name of a domain: write one with at least one dot, such as corp.example.com."
}
$password = Read-Host 'Password for restoring the directory (keep it safe)' -AsSecureString

if ((Read-Host "This machine becomes the controller of $domain and restarts. Go on? (yes/no)") -ne 'yes') {
    Write-Host 'Nothing was changed.'
    return
}
Install-WindowsFeature -Name AD-Domain-Services -IncludeManagementTools | Out-Null
Import-Module ADDSDeployment
Install-ADDSForest -DomainName $domain -InstallDns -SafeModeAdministratorPassword $password -Force

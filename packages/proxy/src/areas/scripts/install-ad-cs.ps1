# Makes this domain controller the enterprise root authority of its domain, so that its machines get certificates, and restarts it.
# Run it in PowerShell as an administrator of the domain. A domain that has an authority does not need it.

$ErrorActionPreference = 'Stop'

$identity = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
if (-not $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    throw 'Run this in PowerShell as an administrator.'
}
if ((Get-CimInstance Win32_ComputerSystem).DomainRole -lt 4) {
    throw 'This machine is no domain controller: run install-ad-ds.ps1 first, or go to one that is.'
}
if ((Get-WindowsFeature -Name ADCS-Cert-Authority).Installed) {
    Write-Host 'This machine is a certificate authority already. There is nothing to do.'
    return
}

if ((Read-Host 'This machine becomes the certificate authority of its domain and restarts. Go on? (yes/no)') -ne 'yes') {
    Write-Host 'Nothing was changed.'
    return
}
Install-WindowsFeature -Name ADCS-Cert-Authority -IncludeManagementTools | Out-Null
Install-AdcsCertificationAuthority -CAType EnterpriseRootCA -HashAlgorithmName SHA384 -Force | Out-Null
# The controller asks for its own certificate when it starts.
Restart-Computer -Force

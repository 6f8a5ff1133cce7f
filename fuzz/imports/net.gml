graph [
  directed 1
  node [ id 0 label "A" Latitude 50.0 Longitude 0.0 ]
  node [ id 1 label "B" Latitude 50.0 Longitude 10.0 ]
  edge [ source 0 target 1 LinkSpeed "2.5" LinkSpeedUnits "G" ]
]
